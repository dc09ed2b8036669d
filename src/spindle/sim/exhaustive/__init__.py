"""Every interleaving of one replica, its directories and its controller: an explicit-state search
over the production state machines themselves (K858-20).
"""
