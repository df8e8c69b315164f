// Images, films, scripts: in an origin like no other they are all a stranger's: a canvas that one was drawn on cannot be
// read, a script's errors are not told. Asked for across origins, which the server allows everywhere, they are nobody's.
// The server marks those in its pages.

/** Before wombat, which rewrites the address and hands it on. */
export function shareImages() {
  for (const { prototype } of [HTMLImageElement, HTMLMediaElement, HTMLScriptElement]) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, 'src')
    Object.defineProperty(prototype, 'src', {
      ...descriptor,
      set(url) {
        if (this.crossOrigin === null && !/^\s*(?:data|blob):/i.test(url)) this.crossOrigin = 'anonymous'
        descriptor.set.call(this, url)
      },
    })
  }
}
