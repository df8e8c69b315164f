// Whether what is kept is still what was kept: what reading everything to find rot has come to.

import type { SoundnessStatus } from '../../../model/peer-status.ts'
import { printCount } from '../../markup/amounts.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html } from '../../markup/html.ts'
import { statusTexts } from '../../texts/status.ts'

export function soundnessSection({ passedAtMs, found, mended, damaged }: SoundnessStatus): Html {
  const passed = passedAtMs === null ? statusTexts.notYet : momentElement(passedAtMs)
  return html`<section aria-labelledby="soundness"><h2 id="soundness">${statusTexts.sound}</h2>
${damaged > 0 ? html`<p class="trouble">${statusTexts.damaged({ count: damaged })}</p>` : ''}
<dl class="figures">
<div><dt>${statusTexts.readForRot}</dt><dd>${passed}</dd></div>
<div><dt>${statusTexts.damagedFound}</dt><dd>${printCount(found)}</dd></div>
<div><dt>${statusTexts.mended}</dt><dd>${printCount(mended)}</dd></div>
</dl>
<p class="note">${statusTexts.scrubNote}</p>
</section>`
}
