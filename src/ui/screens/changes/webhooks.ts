// Webhooks: who is sent what watches see, how that goes, and what was given up.

import type { WebhookMessage } from '../../../changes/webhooks/webhook.ts'
import type { WebhookView } from '../../../changes/webhooks/webhooks.ts'
import { plural } from '../../markup/amounts.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'

export interface ShownWebhook {
  readonly webhook: WebhookView
  /** The newest. */
  readonly deadLetters: readonly WebhookMessage[]
}

interface WebhooksData {
  readonly webhooks: readonly ShownWebhook[]
  /** Of one that was just made: shown this once. */
  readonly secret?: { readonly url: string; readonly secret: string } | undefined
  readonly typed: string
  readonly mistake?: string | undefined
}

export function webhooksScreen({ webhooks, secret, typed, mistake }: WebhooksData): Screen {
  return {
    title: 'Webhooks',
    name: 'webhooks',
    current: 'watches',
    body: html`<header class="about-url"><p class="eyebrow"><a href="/watches">Watches</a></p><h1>Webhooks</h1>
<p>What <a href="/watches">watches</a> see is sent to these addresses, signed as <a href="https://www.standardwebhooks.com/" rel="external noopener noreferrer">Standard Webhooks</a> has it, and again until it is taken: for three days.</p></header>
${mistake === undefined ? nothing : html`<p class="trouble" role="alert"><strong>Not done:</strong> ${mistake}</p>`}
${secret === undefined ? nothing : html`<div class="watch-trial" role="status"><p>The secret of ${secret.url}. It is not shown again:</p><p><code class="secret">${secret.secret}</code></p></div>`}
<form class="opening compact" action="/webhooks" method="post"><div class="field"><label for="webhook-url">Send to</label>
<input id="webhook-url" name="url" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" required placeholder="https://example.org/hook" value="${typed}"></div>
<div class="actions"><button type="submit" name="action" value="add" class="primary">Add it</button></div></form>
<section aria-labelledby="webhooks"><h2 id="webhooks">${webhooks.length === 0 ? 'Nobody is sent anything' : plural(webhooks.length, 'receiver')}</h2>
${webhooks.length === 0 ? nothing : html`<ul class="rules">${webhooks.map(webhookItem)}</ul>`}</section>`,
  }
}

function webhookItem({ webhook, deadLetters }: ShownWebhook): Html {
  const { id, url, name, watches, isPaused, trouble, waiting, dead, takenAtMs, droppedCount } = webhook
  return html`<li><div><h3><span class="rule-name">${name === '' ? url : `${name}: ${url}`}</span></h3>
<p>${isPaused ? html`<strong>paused</strong> · ` : nothing}${watches.length === 0 ? 'all watches' : plural(watches.length, 'watch', 'watches')} · ${waiting} waiting · ${takenAtMs === undefined ? 'nothing taken yet' : html`last taken ${momentElement(takenAtMs)}`}</p>
${trouble === undefined ? nothing : html`<p class="trouble">${trouble}</p>`}
${dead === 0 ? nothing : html`<details><summary>${plural(dead, 'message')} given up</summary>${droppedCount > 0 ? html`<p class="note">${plural(droppedCount, 'older one')} dropped</p>` : nothing}<ul class="dead-letters">${deadLetters.map((letter) => letterItem(id, letter))}</ul>${button(id, 'resend', 'Send all again')}</details>`}</div>
<form class="inline" action="/webhooks/${encodeURIComponent(id)}" method="post"><button type="submit" name="action" value="test">Test</button> <button type="submit" name="action" value="${isPaused ? 'resume' : 'pause'}">${isPaused ? 'Go on' : 'Pause'}</button> <button type="submit" name="action" value="secret">New secret</button> <button type="submit" name="action" value="remove">Remove</button></form></li>`
}

function letterItem(id: string, { id: message, createdAtMs, attempts, trouble, body }: WebhookMessage): Html {
  return html`<li><p>${typeOf(body)} <span class="note">${momentElement(createdAtMs)}, ${plural(attempts, 'attempt')}: ${trouble ?? ''}</span> ${button(id, 'resend', 'Send again', message)}</p></li>`
}

function typeOf(body: string): string {
  const { type, data } = JSON.parse(body) as { type: string; data: { url?: string } }
  return data.url === undefined ? type : `${type} ${data.url}`
}

function button(id: string, action: string, words: string, message?: string): Html {
  return html`<form class="inline" action="/webhooks/${encodeURIComponent(id)}" method="post">${message === undefined ? nothing : html`<input type="hidden" name="message" value="${message}">`}<button type="submit" name="action" value="${action}">${words}</button></form>`
}
