// The window of a profile, shown as pictures: what the browser on the archive's machine shows, with mouse and keys passed on.

import { html } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'

export function profileWindowScreen(name: string, size: { width: number; height: number }): Screen {
  return {
    title: `Log in: ${name}`,
    name: 'window',
    script: 'profile-window.ts',
    masthead: 'none',
    body: html`<main id="main" tabindex="-1" class="profile-window">
<header><h1>Log in as ${name}</h1>
<p class="note">This is a browser on the machine of your archive. Log in to the sites that are to be archived as you see them, then press “Keep it”.</p>
<form class="window-bar"><button type="button" id="window-back">Back</button>
<label class="unseen" for="window-url">Address</label>
<input id="window-url" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false">
<button type="submit">Go</button>
<button type="button" id="window-keep" class="primary">Keep it</button>
<button type="button" id="window-cancel" class="quiet">Cancel</button></form>
<p id="window-message" role="status"></p></header>
<canvas id="window-screen" width="${size.width}" height="${size.height}" tabindex="0" aria-label="The browser’s screen: click here to type">Scripts are needed to show this.</canvas>
</main>`,
  }
}
