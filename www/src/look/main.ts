import '../styles/theme.css';
import '../styles/base.css';
import { mount } from 'svelte';
import App from './App.svelte';
import { start } from './lib/actions';
import { decode } from './lib/hash';

// Before anything is rendered: the files come meanwhile.
void start(decode(location.hash));
mount(App, { target: document.getElementById('page')! });
