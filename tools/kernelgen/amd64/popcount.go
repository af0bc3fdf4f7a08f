package main

func popcount() {}
