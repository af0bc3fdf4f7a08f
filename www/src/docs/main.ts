import '../styles/theme.css';
import '../styles/base.css';
import './docs.css';
import { hydrate, mount } from 'svelte';
import { idle } from '../lib/pauses';
import { keepOffline } from '../site/offline';
import Head from './Head.svelte';

const target = document.getElementById('head')!;
// What is built has the head in it; the development server has not.
(target.firstElementChild ? hydrate : mount)(Head, { target });
// The element shows a picture until its script is there; the text comes first.
if (document.querySelector('bag-explainer')) void idle().then(() => import('../site/element'));
keepOffline('../');
