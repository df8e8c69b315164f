// Storage view: what lies on the disk of this peer, what is saved and what is dead, copies in the network, rot and repair.

import type { StorageFacts } from '../../console/console.ts'
import type { NetworkStatus } from '../../model/peer-status.ts'
import { printBytes, printCount, printShare } from '../markup/amounts.ts'
import { momentElement } from '../markup/dates.ts'
import { type Html, html, inEnglish, nothing } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { copiesHistogram } from '../screens/status/network-status.ts'
import { soundnessSection } from '../screens/status/soundness.ts'
import { savings } from '../screens/status/status.ts'
import { consoleTexts } from '../texts/console.ts'
import { statusTexts } from '../texts/status.ts'
import { storageTexts } from '../texts/storage.ts'
import { actionButton } from './action-forms.ts'
import { consoleScreen } from './console-screen.ts'
import { volumeStates } from './console-words.ts'

interface StorageData {
  readonly storage: StorageFacts
  readonly network: NetworkStatus
  /** Of the volumes that are listed. */
  readonly from: number
  readonly notice: Html
}

const volumesShown = 50

export function storageScreen({ storage, network, from, notice }: StorageData): Screen {
  const { captures, distinctPayloads, bytes, volumes, soundness } = storage
  const deadBytes = volumes.reduce((sum, volume) => sum + volume.deadBytes, 0)
  const volumeBytes = volumes.reduce((sum, volume) => sum + volume.bytes, 0)
  const isShared = network.network.kind !== 'alone'
  return consoleScreen(
    'storage',
    html`${notice}<dl class="figures large">
<div><dt>${statusTexts.onDisk}</dt><dd>${printBytes(bytes.onDisk)}</dd></div>
<div><dt>${statusTexts.captures}</dt><dd>${printCount(captures)}</dd></div>
<div><dt>${statusTexts.contents}</dt><dd>${printCount(distinctPayloads)}</dd></div>
<div><dt>${storageTexts.deadSpace}</dt><dd>${printShare(deadBytes, volumeBytes)}</dd></div>
</dl>
<section aria-labelledby="saved"><h2 id="saved">${storageTexts.savedTitle}</h2>${savings(bytes)}</section>
<section aria-labelledby="volumes"><h2 id="volumes">${storageTexts.volumes({ count: volumes.length })}</h2>
<p>${storageTexts.dead({ dead: printBytes(deadBytes), whole: printBytes(volumeBytes) })}</p>
${volumeTable(volumes.slice(from, from + volumesShown))}${volumePages(volumes.length, from)}
<div class="console-buttons">${actionButton({ action: 'compact', label: storageTexts.giveBack, of: {}, back: 'storage' })}</div></section>
${isShared ? networkCopies(network) : nothing}
${soundnessSection(soundness)}
${upkeepNote(storage)}
<div class="console-buttons">${actionButton({ action: 'scrub', label: storageTexts.readForRot, of: {}, back: 'storage' })}</div>`,
  )
}

function volumeTable(volumes: StorageFacts['volumes']): Html {
  if (volumes.length === 0) return html`<p class="note">${storageTexts.noneYet}</p>`
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${storageTexts.volumesTable}"><table class="list"><thead><tr><th scope="col">${storageTexts.volume}</th><th scope="col">${statusTexts.state}</th><th scope="col">${storageTexts.size}</th><th scope="col">${storageTexts.deadHead}</th></tr></thead><tbody>${volumes.map(
    ({ path, state, bytes, deadBytes }) =>
      html`<tr><th scope="row"><code title="${path}">${path.slice(path.lastIndexOf('/') + 1)}</code></th><td>${volumeStates[state] ?? state}</td><td>${printBytes(bytes)}</td><td>${deadBytes === 0 ? '–' : html`${printBytes(deadBytes)}, ${printShare(deadBytes, bytes)}`}</td></tr>`,
  )}</tbody></table></div>`
}

function volumePages(count: number, from: number): Html {
  if (count <= volumesShown) return nothing
  const link = (to: number, words: Html): Html =>
    html`<a class="button" href="/admin/storage?from=${to}#volumes">${words}</a>`
  return html`<p class="paging">${from > 0 ? link(Math.max(0, from - volumesShown), consoleTexts.earlier) : nothing}${from + volumesShown < count ? link(from + volumesShown, storageTexts.later) : nothing}</p>`
}

function networkCopies(network: NetworkStatus): Html {
  const { sums } = network
  return html`<section aria-labelledby="copies"><h2 id="copies">${storageTexts.copiesRepair}</h2>${copiesHistogram(network)}
<dl class="figures"><div><dt>${statusTexts.entriesToCopy}</dt><dd>${printCount(sums.queue)}</dd></div><div><dt>${statusTexts.copied}</dt><dd>${printBytes(sums.bytesPerSecond)}/s</dd></div><div><dt>${statusTexts.queuesToCopy}</dt><dd>${printCount(sums.sitesToCopy)}</dd></div></dl>
<p class="note">${storageTexts.repairNote}</p></section>`
}

function upkeepNote({ upkeep, isScrubbing }: StorageFacts): Html {
  if (upkeep === undefined) return isScrubbing ? html`<p class="note">${storageTexts.beingRead}</p>` : nothing
  const { task, startedAtMs, share, outcome } = upkeep
  const name = task === 'scrub' ? storageTexts.readingName : storageTexts.givingName
  if (outcome !== undefined)
    return html`<p class="note">${storageTexts.upkeep({ name, when: momentElement(startedAtMs), outcome: inEnglish(outcome) })}</p>`
  return html`<p role="status">${storageTexts.upkeepDone({ name, share: printShare(share, 1) })} <progress max="1" value="${share.toFixed(3)}" aria-label="${name}"></progress></p>`
}
