"""Recordings and videos: sound, key frames and subtitles on one time line."""
