"""Does it speak the domain's own language?"""
