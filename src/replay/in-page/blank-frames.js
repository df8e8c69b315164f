// Blank frames: pages write into frames without an address, and read from those whose document stands in an attribute. Here
// every frame has an origin of its own, so its document is out of reach; a page gets one in memory instead, and what
// becomes of it is shown in the frame. Scripts in there run in the frame, apart from the page.

const soonMs = 20
const stageDocuments = new WeakMap()

/** Before wombat, which asks for the same. */
export function lendDocumentsToBlankFrames() {
  const descriptor = Object.getOwnPropertyDescriptor(HTMLIFrameElement.prototype, 'contentDocument')
  Object.defineProperty(HTMLIFrameElement.prototype, 'contentDocument', {
    ...descriptor,
    get() {
      return descriptor.get.call(this) ?? stageDocumentOf(this)
    },
  })
}

/** null for frames of other pages, and those that are not in the page. */
export function stageDocumentOf(frame) {
  const source = frame.getAttribute('src') ?? ''
  const isBlank = frame.hasAttribute('srcdoc') || /^\s*(?:about:blank|javascript:|$)/i.test(source)
  if (!isBlank || !frame.isConnected) return null
  let staged = stageDocuments.get(frame)
  if (staged === undefined) {
    staged = new StageDocument(frame).document
    stageDocuments.set(frame, staged)
  }
  return staged
}

class StageDocument {
  #frame
  #text
  #isWaiting = false
  #later = window.setTimeout.bind(window)
  #observer = new MutationObserver(() => this.#showSoon())
  document

  constructor(frame) {
    this.#frame = frame
    this.document = new DOMParser().parseFromString(frame.getAttribute('srcdoc') ?? '', 'text/html')
    this.#lendWriting()
    this.#watch()
  }

  #lendWriting() {
    const own = {
      open: () => {
        this.#text = ''
        return this.document
      },
      write: (...texts) => this.#write(texts.join('')),
      writeln: (...texts) => this.#write(`${texts.join('')}\n`),
      close: () => this.#show(),
    }
    for (const [name, value] of Object.entries(own)) Object.defineProperty(this.document, name, { value })
  }

  #watch() {
    this.#observer.observe(this.document, {
      subtree: true,
      childList: true,
      attributes: true,
      characterData: true,
    })
  }

  #write(text) {
    this.#text = (this.#text ?? '') + text
    this.#showSoon()
  }

  #showSoon() {
    if (this.#isWaiting) return
    this.#isWaiting = true
    this.#later(() => {
      this.#isWaiting = false
      this.#show()
    }, soonMs)
  }

  #show() {
    const written = this.#text
    if (written !== undefined) {
      this.#text = undefined
      this.document.documentElement.innerHTML = written
      // Our own change is no news.
      this.#observer.takeRecords()
    }
    const shown = written ?? this.document.documentElement.outerHTML
    if (this.#frame.getAttribute('srcdoc') !== shown) this.#frame.srcdoc = shown
  }
}
