// Looks: the two pages themselves, each in its sandbox, side by side or one upon the other.
//
// Nobody may look into the frames or scroll them from outside. They are made tall and scrolled together by what is
// around them, so they stay in step by themselves.

import type { Version } from '../archive.ts'
import { printShortDay } from '../markup/dates.ts'
import { type Html, html } from '../markup/html.ts'
import { framedPath } from '../markup/links.ts'
import { compareTexts } from '../texts/compare.ts'
import { sandbox } from './frame.ts'

export function looks(left: Version, right: Version, replayOrigin: string): Html {
  return html`<section class="view view-looks" aria-label="${compareTexts.looks}">
<div class="looks-tools">
<fieldset><legend class="unseen">${compareTexts.layout}</legend>
${[
  layout('beside', compareTexts.sideBySide, true),
  layout('wipe', compareTexts.slider, false),
  layout('fade', compareTexts.fade, false),
  layout('difference', compareTexts.difference, false),
]}
</fieldset>
<div class="mix" hidden><span>${compareTexts.earlierHead}</span> <input type="range" id="mix" min="0" max="100" value="50" aria-label="${compareTexts.mix}"> <span>${compareTexts.laterHead}</span></div>
</div>
<div class="looks-window" tabindex="0" role="group" aria-label="${compareTexts.together}"><div class="looks-pages">
${page(left, replayOrigin, 'earlier')}
${page(right, replayOrigin, 'later')}
</div></div>
<p class="note">${compareTexts.looksNote}</p>
</section>`
}

function layout(value: string, text: Html, isChosen: boolean): Html {
  return html`<input type="radio" name="looks" id="looks-${value}" value="${value}"${isChosen ? html` checked` : ''}><label for="looks-${value}">${text}</label>`
}

const pageTitles = { earlier: compareTexts.earlierPage, later: compareTexts.laterPage } as const

function page({ capturedAtMs, url }: Version, replayOrigin: string, which: 'earlier' | 'later'): Html {
  return html`<iframe class="${which}" title="${pageTitles[which]({ day: printShortDay(capturedAtMs) })}" src="${replayOrigin}${framedPath(capturedAtMs, url)}" sandbox="${sandbox}" loading="lazy" referrerpolicy="no-referrer"></iframe>`
}
