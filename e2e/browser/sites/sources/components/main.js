import { css, html, LitElement } from 'lit'

class CardList extends LitElement {
  static properties = { cards: { state: true } }
  static styles = css`
    :host { display: block; font-family: sans-serif; background: url(/pictures/back.svg) right top no-repeat }
    div { display: grid; grid-template-columns: repeat(3, 200px); gap: 8px }
  `

  constructor() {
    super()
    this.cards = []
  }

  async connectedCallback() {
    super.connectedCallback()
    this.cards = await (await fetch('/data/cards.json')).json()
    await this.updateComplete
    const cards = [...this.shadowRoot.querySelectorAll('one-card')]
    await Promise.all(cards.map((card) => card.ready()))
    document.documentElement.dataset.ready = 'yes'
  }

  render() {
    const cards = this.cards.map(
      ({ id, title }) => html`<one-card part="card" .number=${id}>${title}</one-card>`,
    )
    return html`<slot name="title"></slot><div>${cards}</div>`
  }
}

/** Without a library: one sheet for all, adopted. */
const sheet = new CSSStyleSheet()
await sheet.replace(':host { display: block } img { display: block } ::slotted(*) { color: red }')

class OneCard extends HTMLElement {
  #image = new Image(160, 120)

  connectedCallback() {
    const root = this.attachShadow({ mode: 'closed' })
    root.adoptedStyleSheets = [sheet]
    root.innerHTML = '<slot></slot>'
    this.#image.src = `/pictures/${this.number}.svg`
    root.prepend(this.#image)
  }

  ready() {
    return this.#image.decode()
  }
}

customElements.define('one-card', OneCard)
customElements.define('card-list', CardList)
