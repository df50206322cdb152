"""Did the right evidence reach the model, in a form it could use?"""
