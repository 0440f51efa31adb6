// Room: Terminal.
