import '../styles/theme.css';
import '../styles/base.css';
import '../styles/column.css';
import './embed.css';
import { hydrate, mount } from 'svelte';
import { keepFocus } from '../lib/focus';
import '../site/element';
import { keepOffline } from '../site/offline';
import App from './App.svelte';

keepFocus();
const target = document.getElementById('page')!;
// What is built has the page in it; the development server has not.
(target.firstElementChild ? hydrate : mount)(App, { target });
keepOffline('../');
