package main

func masked() {}
