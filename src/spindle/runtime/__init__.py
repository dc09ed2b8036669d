"""The rim: the only room with sockets, threads, clock and real files."""
