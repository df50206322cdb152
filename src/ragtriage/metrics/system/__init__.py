"""Does it hold as a service?"""
