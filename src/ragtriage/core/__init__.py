"""The words of the project: records, views, scores, results, declarations, errors, files."""
