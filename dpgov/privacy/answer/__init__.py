"""From a plan to a released answer, and what that will cost before it is asked."""
