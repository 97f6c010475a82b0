import type { ComponentChildren } from 'preact';

interface Props {
  readonly id: string;
  readonly title: string;
  readonly tools?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly class?: string;
}

/** A view in its frame: a title, tools beside it, and what it shows. */
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
