import '../styles/theme.css';
import '../styles/base.css';
import './docs.css';
import { hydrate, mount } from 'svelte';
import { keepOffline } from '../site/offline';
import Head from './Head.svelte';

const target = document.getElementById('head')!;
// What is built has the head in it; the development server has not.
(target.firstElementChild ? hydrate : mount)(Head, { target });
if (document.querySelector('bag-explainer')) void import('bagscope/element');
keepOffline('../');
