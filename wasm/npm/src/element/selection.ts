/** The bag and the classes that the attributes select. */

import { BagscopeError } from "../error.js";
import type { Bag, BagSet, Prediction } from "../types.js";
import type { Settings } from "./settings.js";

/** The bags that were read from each set. */
const bagsOf = new WeakMap<BagSet, Map<number, Promise<Bag>>>();

/** Returns one bag of a set, which is read once. Throws if the set has no such bag. */
export async function readBag(opening: Promise<BagSet>, index: number): Promise<Bag> {
  const set = await opening;
  if (index >= set.length)
    throw new BagscopeError("setting", `there is no bag ${index}: the file holds ${set.length}`, {
      setting: "index",
    });
  let bags = bagsOf.get(set);
  if (!bags) bagsOf.set(set, (bags = new Map()));
  let bag = bags.get(index);
  if (!bag) bags.set(index, (bag = set.bag(index)));
  return bag;
}

/** Returns the classes to explain; undefined for all. */
export function classesOf({ classes }: Settings, whole: Prediction): readonly number[] | undefined {
  if (classes === "all") return undefined;
  if (classes !== "predicted") return classes;
  return [predicted(whole)];
}

/** Returns the index of the class with the highest prediction. */
export function predicted({ prediction }: Prediction): number {
  return prediction.indexOf(Math.max(...prediction));
}
