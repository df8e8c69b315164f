// The shop: prices that change one after the other, a counter that differs at every visit, a kettle that is sold out at times and gone.

import { html } from '../../ui/markup/html.ts'
import { drawing, type LittleSite, type Moment, page, type SiteAnswer, style } from './site.ts'

const colour = '#1d5c63'
const priceEverySeconds = 9
const goneForSeconds = 60
const kettles = [
  'Whistler',
  'Night Owl',
  'Brass Button',
  'Old Faithful',
  'Tin Soldier',
  'Small Hours',
  'Long Spout',
  'Blue Enamel',
]
/** This one is sold out every other minute, and its page gone. */
const rareKettle = 5

export const shop: LittleSite = {
  name: 'kettle',
  title: 'Kettle & Cup',
  what: 'a shop: prices that move, a visitor counter, a kettle that comes and goes',
  answer(path, moment) {
    if (path === '/') return list(moment)
    if (path === '/style.css') return style(colour)
    const [, kind, digits] = /^\/(kettle|picture)\/(\d+)(?:\.svg)?$/.exec(path) ?? []
    const number = Number(digits)
    if (digits === undefined || number >= kettles.length) return undefined
    if (kind === 'picture') return drawing(number + 40, colour)
    return isGone(number, moment) ? undefined : kettle(number, moment)
  },
}

function isGone(number: number, { seconds }: Moment): boolean {
  return number === rareKettle && Math.floor(seconds / goneForSeconds) % 2 === 1
}

/** Each in turn gets another price. */
function price(number: number, { seconds }: Moment): string {
  const changes = Math.floor((seconds / priceEverySeconds + kettles.length - number) / kettles.length)
  return `${19 + number * 4 + ((changes * 7) % 11)}.${(changes * 30 + 50) % 100 || '00'}`
}

function list(moment: Moment): SiteAnswer {
  const shown = kettles
    .map((name, number) => ({ name, number }))
    .filter(({ number }) => !isGone(number, moment))
  return page({
    title: 'Kettle & Cup',
    description: 'Kettles, and cups to go with them.',
    colour,
    body: html`<header><h1>Kettle &amp; Cup</h1><p><small>You are visitor number ${10_000 + Math.floor(moment.seconds * 7)}.</small></p></header>
<main><ul class="list">${shown.map(({ name, number }) => html`<li><a href="/kettle/${number}"><img src="/picture/${number}.svg" alt=""><br>${name}</a><br><span class="price">${price(number, moment)} €</span></li>\n`)}</ul></main>
<footer><p>“Best kettles of the harbour”, says <a href="${moment.origin('lantern')}/">The Lantern</a>.</p></footer>`,
  })
}

function kettle(number: number, moment: Moment): SiteAnswer {
  const name = kettles[number]!
  return page({
    title: `${name} – Kettle & Cup`,
    description: `The ${name}, a kettle of ours.`,
    colour,
    body: html`<header><p><a href="/">Kettle &amp; Cup</a></p></header>
<main><h1>${name}</h1><img src="/picture/${number}.svg" alt=""><p class="price">${price(number, moment)} €</p>
<p>The ${name} boils a litre in the time that it takes to read one story of <a href="${moment.origin('lantern')}/story/${number}">The Lantern</a>. Made of ${number % 2 === 0 ? 'copper' : 'steel'}, with a handle that stays cool.</p></main>`,
  })
}
