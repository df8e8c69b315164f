// The buttons of the console: each a form, so that they work without scripts. What cannot easily be taken back lies behind a
// second look.

import { type Html, html, nothing } from '../markup/html.ts'
import { consoleTexts } from '../texts/console.ts'

interface ActionForm {
  readonly action: string
  readonly label: Html
  /** What it is done to: {site: 'example.org'}. */
  readonly of: Readonly<Record<string, string>>
  /** Where to go on: the query of a node. */
  readonly back: string
  readonly isPrimary?: boolean
}

export function actionButton({ action, label, of, back, isPrimary }: ActionForm): Html {
  return html`<form class="inline" action="/admin/actions" method="post">${hidden({ ...of, back })}<button type="submit" name="action" value="${action}"${isPrimary ? html` class="primary"` : nothing}>${label}</button></form>`
}

/** With a field to fill in. */
export function actionField(
  form: ActionForm,
  field: {
    readonly name: string
    readonly label: Html
    readonly placeholder: Html | string
    readonly value?: string
  },
): Html {
  const id = `${form.action}-${field.name}`
  return html`<form class="console-field" action="/admin/actions" method="post">${hidden({ ...form.of, back: form.back })}<label for="${id}">${field.label}</label><span><input id="${id}" name="${field.name}" type="text" autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="${field.placeholder}" value="${field.value ?? ''}"><button type="submit" name="action" value="${form.action}">${form.label}</button></span></form>`
}

/** With something to choose. */
export function actionChoice(
  form: ActionForm,
  field: {
    readonly name: string
    readonly label: Html
    readonly options: readonly (readonly [value: string, words: Html | string])[]
  },
): Html {
  const id = `${form.action}-${field.name}`
  return html`<form class="console-field" action="/admin/actions" method="post">${hidden({ ...form.of, back: form.back })}<label for="${id}">${field.label}</label><span><select id="${id}" name="${field.name}">${field.options.map(([value, words]) => html`<option value="${value}">${words}</option>`)}</select><button type="submit" name="action" value="${form.action}">${form.label}</button></span></form>`
}

/** Opened before it can be pressed. */
export function dangerous(summary: Html, words: Html, form: Html): Html {
  return html`<details class="danger"><summary>${summary}</summary><p class="note">${words}</p>${form}</details>`
}

function hidden(values: Readonly<Record<string, string>>): Html[] {
  return Object.entries(values).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
}

/** `back`: the query of a node; the log unless told. */
export function undoButton(id: number, back?: string): Html {
  return html`<form class="inline" action="/admin/actions/${id}/undo" method="post">${back === undefined ? nothing : hidden({ back })}<button type="submit">${consoleTexts.undo}</button></form>`
}
