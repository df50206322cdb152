"""Was the knowledge base prepared correctly?"""
