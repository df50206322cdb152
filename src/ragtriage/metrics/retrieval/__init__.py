"""Was the right evidence found?"""
