// The single-page application: an empty page whose script fetches the tides and draws them.

import { html } from '../../ui/markup/html.ts'
import { type LittleSite, type Moment, page, style } from './site.ts'

const colour = '#24507a'
const measuredEverySeconds = 15
const measurements = 24

const script = `
const root = document.querySelector('#app')
const line = (levels) => 'M' + levels.map((level, at) => at * 20 + ' ' + (100 - level)).join('L')
async function show() {
  const { station, levels } = await (await fetch('/tides.json')).json()
  root.innerHTML = '<h1>Tides at ' + station + '</h1><svg viewBox="0 0 460 110" width="100%"><path fill="none" stroke="${colour}" stroke-width="3" d="' + line(levels) + '"/></svg><p>Now ' + levels.at(-1) + ' cm above the lowest stone.</p>'
}
show()
`

export const application: LittleSite = {
  name: 'tides',
  title: 'Tides',
  what: 'a single-page application: an empty page, a script that fetches figures and draws them',
  answer(path, moment) {
    if (path === '/')
      return page({
        title: 'Tides',
        description: 'The level of the sea at the ferry.',
        colour,
        body: html`<div id="app"></div><script src="/app.js"></script>`,
      })
    if (path === '/style.css') return style(colour)
    if (path === '/app.js') return { status: 200, type: 'text/javascript', body: script }
    if (path === '/tides.json')
      return { status: 200, type: 'application/json', body: JSON.stringify(tides(moment)) }
    return undefined
  },
}

function tides({ seconds }: Moment): { station: string; levels: number[] } {
  const newest = Math.floor(seconds / measuredEverySeconds)
  const levels = Array.from({ length: measurements }, (_, index) => {
    const at = newest - measurements + 1 + index
    return Math.round(50 + 38 * Math.sin(at / 4) + 6 * Math.sin(at * 1.7))
  })
  return { station: 'the old ferry', levels }
}
