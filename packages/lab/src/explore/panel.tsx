import type { ComponentChildren } from 'preact';
import type { Fitted } from '../state/fit.js';

/** The properties of every panel about a fit. */
export interface PanelProps {
  readonly now: Fitted;
}

interface Props {
  readonly id: string;
  readonly title: string;
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly class?: string;
}

/** The frame of a view: its title, its tools and its content. */
export function Panel({ id, title, tools, children, class: name = '' }: Props) {
  return (
    <section class={`panel ${name}`} aria-labelledby={`${id}-title`}>
      <div class="title-row">
        <h2 id={`${id}-title`}>{title}</h2>
        {tools}
      </div>
      {children}
    </section>
  );
}
