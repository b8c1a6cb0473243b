"""Pages about members, invitations and tokens."""
