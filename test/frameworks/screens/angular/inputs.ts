import { ChangeDetectionStrategy, Component, computed } from '@angular/core';
import { fieldsOf, localDateTime } from 'repose';
import { injectField, injectForm } from 'repose/angular';
import { formOptions, Order, order, valuesOf } from '../orders.js';

/** An input of each kind. */
@Component({
  selector: '#root',
  changeDetection: ChangeDetectionStrategy.OnPush,
  template: `
    @let note = form.input('note')();
    @let price = form.input('price')();
    @let express = form.input('express')();
    @let due = form.input('due')();
    @let size = form.input('size')();
    @let mail = form.input('mail')();
    <form novalidate (submit)="form.submit($event)">
      <textarea aria-label="Note" [value]="note.value" (input)="note.onInput($event)" (blur)="note.onBlur()"></textarea>
      <label [for]="price.id">Price</label>
      <input
        [id]="price.id"
        [name]="price.name"
        [type]="price.type"
        [value]="price.value"
        [attr.min]="price.min"
        [attr.max]="price.max"
        [attr.inputmode]="price.inputmode"
        [attr.aria-invalid]="price['aria-invalid']"
        [attr.aria-describedby]="price['aria-describedby']"
        (input)="price.onInput($event)"
        (blur)="price.onBlur()"
      />
      <em [id]="form.errorId('price')">{{ messages() }}</em>
      <input aria-label="Express" [type]="express.type" [checked]="express.checked" (input)="express.onInput($event)" />
      <input
        aria-label="Due"
        [type]="due.type"
        [value]="due.value"
        [attr.min]="due.min"
        (input)="due.onInput($event)"
        (blur)="due.onBlur()"
      />
      <input
        aria-label="At"
        [type]="at().type"
        [value]="at().value"
        [attr.min]="at().min"
        (input)="at().onInput($event)"
        (blur)="at().onBlur()"
      />
      <select aria-label="Size" (input)="size.onInput($event)">
        @for (each of sizes; track each) {
          <option [selected]="each === size.value">{{ each }}</option>
        }
      </select>
      <input
        aria-label="Mail"
        [type]="mail.type"
        [value]="mail.value"
        [required]="mail.required === true"
        [attr.maxlength]="mail.maxlength"
        [attr.aria-invalid]="mail['aria-invalid']"
        (input)="mail.onInput($event)"
        (blur)="mail.onBlur()"
      />
      <textarea
        aria-label="Field note"
        [value]="text().value ?? ''"
        (input)="order.note = $any($event.target).value"
      ></textarea>
      <button>Save</button>
      <output>{{ valuesOf(form.state().values) }}</output>
    </form>
  `,
})
export default class Inputs {
  protected readonly form = injectForm(order, formOptions);
  protected readonly at = computed(() => localDateTime(this.form.input('at')(), order));
  protected readonly price = this.form.field('price');
  protected readonly messages = computed(() =>
    this.price()
      .errors.map(({ message }) => message)
      .join(),
  );
  protected readonly text = injectField(order, 'note');
  protected readonly order = order;
  protected readonly sizes = fieldsOf(Order).size.values;
  protected readonly valuesOf = valuesOf;
}
