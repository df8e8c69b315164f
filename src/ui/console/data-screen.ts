// Data view: the tree of the network on one side, what is known of the chosen place on the other.

import { type Html, html } from '../markup/html.ts'
import type { Screen } from '../markup/layout.ts'
import { consoleTexts } from '../texts/console.ts'
import { consoleScreen } from './console-screen.ts'
import type { ConsoleNode } from './node.ts'

interface DataView {
  readonly tree: Html
  readonly facts: Html
  readonly selected: ConsoleNode
  /** What was looked for and not found. */
  readonly unfound?: string | undefined
}

export function dataScreen({ tree, facts, selected, unfound }: DataView): Screen {
  const peer = selected.kind === 'network' ? '' : selected.peer
  return consoleScreen(
    'data',
    html`<form class="console-find" action="/admin/find"><label for="find-site">${consoleTexts.goToSite}</label><span><input id="find-site" name="site" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="example.org"><input type="hidden" name="peer" value="${peer}"><button type="submit">${consoleTexts.go}</button></span></form>
${unfound === undefined ? '' : html`<p class="trouble" role="status">${consoleTexts.unfound({ site: html`<bdi>${unfound}</bdi>` })}</p>`}
<div class="console${selected.kind === 'network' ? '' : ' chosen'}">
<div class="console-tree">${tree}</div>
<section class="console-facts" id="facts" aria-label="${consoleTexts.whatIsKnown}" aria-live="polite" tabindex="-1"><button type="button" class="quiet close" hidden>${consoleTexts.close}</button><div data-facts>${facts}</div></section>
</div>`,
    'console.ts',
  )
}
