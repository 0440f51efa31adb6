// Room: Linux.
