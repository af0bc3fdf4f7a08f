package main

func elementwise() {}
