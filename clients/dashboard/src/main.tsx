import { render } from 'preact';
import '@fontsource-variable/instrument-sans/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import './styles/layers.css';
import './styles/reset.css';
import './styles/tokens.css';
import './styles/base.css';
import { App } from './app.tsx';
import { startTheme } from './theme.ts';

startTheme();
render(<App />, document.getElementById('app') as HTMLElement);
