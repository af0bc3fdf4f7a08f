import '../styles/theme.css';
import '../styles/base.css';
import '../styles/column.css';
import './embed.css';
import { hydrate, mount } from 'svelte';
import '../site/element';
import { keepOffline } from '../site/offline';
import App from './App.svelte';

const target = document.getElementById('page')!;
// What is built has the page in it; the development server has not.
(target.firstElementChild ? hydrate : mount)(App, { target });
keepOffline('../');
