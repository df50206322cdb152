"""Was the evidence used correctly?"""
