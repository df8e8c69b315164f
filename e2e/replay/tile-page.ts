// Pages made of tiles: one for each construct, grey until the construct works. So a screenshot shows at a glance, and a
// comparison by name, what works and what does not.
//
// Nothing moves and nothing depends on chance. A page says on its root element when all of it has settled.

export const tileSize = 46
const gap = 2

export const tileStyle = `
  html, body { margin: 0; background: #fff; font: 12px/14px "DejaVu Sans", sans-serif; overflow: hidden }
  .tile { float: left; width: ${tileSize}px; height: ${tileSize}px; margin: ${gap}px; background-color: #ccc; overflow: hidden;
    position: relative }
  .tile > img, .tile > iframe, .tile > object, .tile > embed, .tile > video, .tile > svg, .tile > input, .tile > picture,
  .tile > picture > img, .tile > canvas { display: block; width: ${tileSize}px; height: ${tileSize}px; border: 0; padding: 0 }
  .tile.on { background-color: #0a7d32 }
  .tile.off { font-size: 6px; line-height: 7px; color: #a00 }`

/** `tile(name, work)` lights a tile when the work gives true; what it gives or throws otherwise is written on it. */
export const tileScript = `(function () {
  var pending = []
  function timeout() { return new Promise(function (r) { setTimeout(function () { r('timeout') }, 10000) }) }
  function show(name, value) {
    var element = document.getElementById(name)
    element.className = value === true ? 'tile on' : 'tile off'
    if (value !== true) element.textContent = String(value && value.stack || value)
  }
  function attempt(work) { try { return Promise.resolve(work()) } catch (error) { return Promise.reject(error) } }
  self.tile = function (name, work) {
    pending.push(Promise.race([attempt(work), timeout()]).then(show.bind(null, name), show.bind(null, name)))
  }
  self.when = function (target, event) {
    return new Promise(function (resolve, reject) {
      target.addEventListener(event, function () { resolve(true) })
      if (event !== 'error') target.addEventListener('error', function () { reject('error event') })
    })
  }
  addEventListener('load', function () {
    Promise.all(pending).then(function () { document.documentElement.setAttribute('data-settled', 'yes') })
  })
})()`

export interface TilePage {
  readonly title: string
  readonly head?: string
  /** Markup by tile. */
  readonly tiles: Readonly<Record<string, string>>
  /** At the end of the body. */
  readonly script?: string
  readonly after?: string
}

export function tilePage({ title, head = '', tiles, script = '', after = '' }: TilePage): string {
  const squares = Object.entries(tiles).map(([name, markup]) => tile(name, markup))
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<style>${tileStyle}</style><script>${tileScript}</script>${head}</head>
<body>${squares.join('\n')}
<script>${script}</script>${after}</body></html>`
}

export function tile(name: string, markup: string): string {
  return `<div class="tile" id="${name}">${markup}</div>`
}

/** Tiles that only scripts light. */
export function scriptTiles(...names: string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, '']))
}
