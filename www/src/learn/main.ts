import '../styles/theme.css';
import '../styles/base.css';
import './learn.css';
import { hydrate } from 'svelte';
import Article from './Article.svelte';

hydrate(Article, { target: document.getElementById('page')! });
