"""Files in storage that several machines share: put there, brought here, let go."""
