"""``python -m podium`` is the command ``podium``, also where its folder is not on the path."""

from podium.cli import main

if __name__ == "__main__":
    main()
