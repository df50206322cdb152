"""Was the right document allowed to be found, and the wrong one kept out?"""
