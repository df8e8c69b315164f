// The window of a profile, shown as pictures: what the browser on the archive's machine shows, with mouse and keys passed on.

import { html } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { profileWindowTexts } from '../texts/profile-window.ts'

export function profileWindowScreen(name: string, size: { width: number; height: number }): Screen {
  return {
    title: profileWindowTexts.logInTitle({ name }),
    name: 'window',
    script: 'profile-window.ts',
    masthead: 'none',
    body: html`<main id="main" tabindex="-1" class="profile-window">
<header><h1>${profileWindowTexts.logInAs({ name })}</h1>
<p class="note">${profileWindowTexts.logInWords}</p>
<form class="window-bar"><button type="button" id="window-back">${profileWindowTexts.windowBack}</button>
<label class="unseen" for="window-url">${profileWindowTexts.windowAddress}</label>
<input id="window-url" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false">
<button type="submit">${profileWindowTexts.windowGo}</button>
<button type="button" id="window-keep" class="primary">${profileWindowTexts.windowKeep}</button>
<button type="button" id="window-cancel" class="quiet">${profileWindowTexts.windowCancel}</button></form>
<p id="window-message" role="status"></p></header>
<canvas id="window-screen" width="${size.width}" height="${size.height}" tabindex="0" aria-label="${profileWindowTexts.windowScreen}">${profileWindowTexts.windowScripts}</canvas>
</main>`,
  }
}
