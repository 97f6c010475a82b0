import { render } from 'preact';
import { App } from './app.js';
import { route } from './route.js';
import { openAddressOnce } from './state/open.js';
import './style/base.css';

const exploring = route.peek().path[0] !== 'learn';
// Before the first render, so that the worker reads and fits meanwhile.
if (exploring) openAddressOnce();
const root = document.getElementById('app');
if (root) render(<App />, root);
