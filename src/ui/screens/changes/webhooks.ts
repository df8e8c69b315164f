// Webhooks: who is sent what watches see, how that goes, and what was given up.

import type { WebhookMessage } from '../../../changes/webhooks/webhook.ts'
import type { WebhookView } from '../../../changes/webhooks/webhooks.ts'
import { momentElement } from '../../markup/dates.ts'
import { type Html, html, inEnglish, nothing } from '../../markup/html.ts'
import type { Screen } from '../../markup/layout.ts'
import { sharedTexts } from '../../texts/shared.ts'
import { watchesTexts } from '../../texts/watches.ts'

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
    title: watchesTexts.webhooks,
    name: 'webhooks',
    current: 'watches',
    body: html`<header class="about-url"><p class="eyebrow"><a href="/watches">${sharedTexts.watches}</a></p><h1>${watchesTexts.webhooks}</h1>
<p>${watchesTexts.webhooksLead({
      watches: (words) => html`<a href="/watches">${words}</a>`,
      standard: (words) =>
        html`<a href="https://www.standardwebhooks.com/" rel="external noopener noreferrer">${words}</a>`,
    })}</p></header>
${mistake === undefined ? nothing : html`<p class="trouble" role="alert">${sharedTexts.notDone({ mistake: inEnglish(mistake) })}</p>`}
${secret === undefined ? nothing : html`<div class="watch-trial" role="status"><p>${watchesTexts.secretOf({ url: html`<bdi>${secret.url}</bdi>` })}</p><p><code class="secret">${secret.secret}</code></p></div>`}
<form class="opening compact" action="/webhooks" method="post"><div class="field"><label for="webhook-url">${watchesTexts.sendTo}</label>
<input id="webhook-url" name="url" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" required placeholder="https://example.org/hook" value="${typed}"></div>
<div class="actions"><button type="submit" name="action" value="add" class="primary">${watchesTexts.addIt}</button></div></form>
<section aria-labelledby="webhooks"><h2 id="webhooks">${webhooks.length === 0 ? watchesTexts.nobody : watchesTexts.receivers({ count: webhooks.length })}</h2>
${webhooks.length === 0 ? nothing : html`<ul class="rules">${webhooks.map(webhookItem)}</ul>`}</section>`,
  }
}

function webhookItem({ webhook, deadLetters }: ShownWebhook): Html {
  const { id, url, name, watches, isPaused, trouble, waiting, dead, takenAtMs, droppedCount } = webhook
  return html`<li><div><h3><bdi class="rule-name">${name === '' ? url : `${name}: ${url}`}</bdi></h3>
<p>${isPaused ? html`<strong>${watchesTexts.paused}</strong> · ` : nothing}${watches.length === 0 ? watchesTexts.allWatches : watchesTexts.count({ count: watches.length })} · ${watchesTexts.waiting({ number: waiting })} · ${takenAtMs === undefined ? watchesTexts.nothingTaken : watchesTexts.lastTaken({ when: momentElement(takenAtMs) })}</p>
${trouble === undefined ? nothing : html`<p class="trouble">${inEnglish(trouble)}</p>`}
${dead === 0 ? nothing : html`<details><summary>${watchesTexts.givenUp({ count: dead })}</summary>${droppedCount > 0 ? html`<p class="note">${watchesTexts.dropped({ count: droppedCount })}</p>` : nothing}<ul class="dead-letters">${deadLetters.map((letter) => letterItem(id, letter))}</ul>${button(id, 'resend', watchesTexts.sendAll)}</details>`}</div>
<form class="inline" action="/webhooks/${encodeURIComponent(id)}" method="post"><button type="submit" name="action" value="test">${watchesTexts.test}</button> <button type="submit" name="action" value="${isPaused ? 'resume' : 'pause'}">${isPaused ? sharedTexts.goOn : sharedTexts.pause}</button> <button type="submit" name="action" value="secret">${watchesTexts.newSecret}</button> <button type="submit" name="action" value="remove">${sharedTexts.remove}</button></form></li>`
}

function letterItem(id: string, { id: message, createdAtMs, attempts, trouble, body }: WebhookMessage): Html {
  return html`<li><p>${typeOf(body)} <span class="note">${momentElement(createdAtMs)}, ${watchesTexts.attempts({ count: attempts })}: ${inEnglish(trouble ?? '')}</span> ${button(id, 'resend', watchesTexts.sendAgain, message)}</p></li>`
}

function typeOf(body: string): string {
  const { type, data } = JSON.parse(body) as { type: string; data: { url?: string } }
  return data.url === undefined ? type : `${type} ${data.url}`
}

function button(id: string, action: string, words: Html, message?: string): Html {
  return html`<form class="inline" action="/webhooks/${encodeURIComponent(id)}" method="post">${message === undefined ? nothing : html`<input type="hidden" name="message" value="${message}">`}<button type="submit" name="action" value="${action}">${words}</button></form>`
}
