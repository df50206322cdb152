"""Was the question understood?"""
