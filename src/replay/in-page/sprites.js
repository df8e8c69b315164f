// Sprites: `<use href="icons.svg#cart">` takes a drawing from another file, which a browser allows within an origin only. So
// the file is fetched, and the page gets a copy of the drawing to use.

const namespace = 'http://www.w3.org/2000/svg'
const link = 'http://www.w3.org/1999/xlink'
const filesMax = 50

export function bringSprites() {
  const natives = {
    fetch: window.fetch.bind(window),
    get: Element.prototype.getAttribute,
    set: Element.prototype.setAttribute,
  }
  const files = new Map()
  const look = () => {
    for (const use of document.getElementsByTagNameNS(namespace, 'use')) void bring(use, files, natives)
  }
  new MutationObserver(look).observe(document, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['href', 'xlink:href'],
  })
}

async function bring(use, files, { fetch, get, set }) {
  const name = get.call(use, 'href') === null ? 'xlink:href' : 'href'
  const address = get.call(use, name) ?? ''
  const hash = address.indexOf('#')
  if (hash < 1) return
  const file = address.slice(0, hash)
  if (!files.has(file) && files.size >= filesMax) return
  if (!files.has(file)) files.set(file, opened(file, files.size, fetch))
  const copied = (await files.get(file))?.(decodeURIComponent(address.slice(hash + 1)))
  if (copied !== undefined && get.call(use, name) === address) {
    if (name === 'href') set.call(use, 'href', `#${copied}`)
    else use.setAttributeNS(link, 'xlink:href', `#${copied}`)
  }
}

/** Gives a function that copies the drawing of an id into the page, once, and tells its id there. */
async function opened(file, number, fetch) {
  try {
    const text = await (await fetch(file)).text()
    const drawings = new DOMParser().parseFromString(text, 'image/svg+xml')
    const holder = document.createElementNS(namespace, 'svg')
    holder.style.cssText = 'position:absolute;width:0;height:0'
    return (id) => {
      const copied = `polyhistor-sprite-${number}-${id}`
      if (document.getElementById(copied) !== null) return copied
      const drawing = drawings.getElementById(id)
      if (drawing === null) return undefined
      const copy = document.importNode(drawing, true)
      copy.id = copied
      holder.append(copy)
      if (!holder.isConnected) document.documentElement.append(holder)
      return copied
    }
  } catch {
    return undefined
  }
}
