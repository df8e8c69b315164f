// Looks: the two pages themselves, each in its sandbox, side by side or one upon the other.
//
// Nobody may look into the frames or scroll them from outside. They are made tall and scrolled together by what is
// around them, so they stay in step by themselves.

import type { Version } from '../archive.ts'
import { printShortDay } from '../markup/dates.ts'
import { type Html, html } from '../markup/html.ts'
import { framedPath } from '../markup/links.ts'
import { sandbox } from './frame.ts'

export function looks(left: Version, right: Version, replayOrigin: string): Html {
  return html`<section class="view view-looks" aria-label="Looks">
<div class="looks-tools">
<fieldset><legend class="unseen">How the pages are laid out</legend>
${[
  layout('beside', 'Side by side', true),
  layout('wipe', 'Slider', false),
  layout('fade', 'Fade', false),
  layout('difference', 'Difference', false),
]}
</fieldset>
<div class="mix" hidden><span>Earlier</span> <input type="range" id="mix" min="0" max="100" value="50" aria-label="Where the two pages meet, or how much of the later one is seen"> <span>Later</span></div>
</div>
<div class="looks-window" tabindex="0" role="group" aria-label="The two pages; they scroll together"><div class="looks-pages">
${page(left, replayOrigin, 'Earlier')}
${page(right, replayOrigin, 'Later')}
</div></div>
<p class="note">In “Difference”, what is the same is black. Frames are as tall as the pages say, up to a limit.</p>
</section>`
}

function layout(value: string, text: string, isChosen: boolean): Html {
  return html`<input type="radio" name="looks" id="looks-${value}" value="${value}"${isChosen ? html` checked` : ''}><label for="looks-${value}">${text}</label>`
}

function page({ capturedAtMs, url }: Version, replayOrigin: string, name: string): Html {
  return html`<iframe class="${name.toLowerCase()}" title="${name} page, ${printShortDay(capturedAtMs)}" src="${replayOrigin}${framedPath(capturedAtMs, url)}" sandbox="${sandbox}" loading="lazy" referrerpolicy="no-referrer"></iframe>`
}
