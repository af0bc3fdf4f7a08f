import type { Component } from 'svelte';
import SiteHeader from '../site/SiteHeader.svelte';
import Address from './sections/Address.svelte';
import Alone from './sections/Alone.svelte';
import Attention from './sections/Attention.svelte';
import Bar from './sections/Bar.svelte';
import Coalitions from './sections/Coalitions.svelte';
import Compose from './sections/Compose.svelte';
import Curve from './sections/Curve.svelte';
import Hero from './sections/Hero.svelte';
import Methods from './sections/Methods.svelte';
import Own from './sections/Own.svelte';
import Proof from './sections/Proof.svelte';
import Removing from './sections/Removal.svelte';
import Together from './sections/Together.svelte';
import Room from './sections/Room.svelte';
import Series from './sections/Series.svelte';
import Slide from './sections/Slide.svelte';
import type { Part } from './skeleton';

const here = { here: 'learn' };

export const parts: Record<Part, { component: Component<never>; props: object }> = {
  head: { component: SiteHeader, props: here },
  hero: { component: Hero, props: {} },
  bar: { component: Bar, props: {} },
  removing: { component: Removing, props: {} },
  attention: { component: Attention, props: {} },
  alone: { component: Alone, props: {} },
  coalitions: { component: Coalitions, props: {} },
  curve: { component: Curve, props: {} },
  methods: { component: Methods, props: {} },
  proof: { component: Proof, props: {} },
  together: { component: Together, props: {} },
  slide: { component: Slide, props: {} },
  series: { component: Series, props: {} },
  compose: { component: Compose, props: {} },
  own: { component: Own, props: {} },
  address: { component: Address, props: {} },
  room: { component: Room, props: {} },
};
